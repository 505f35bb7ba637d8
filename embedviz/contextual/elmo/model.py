"""The vocabulary, the tokenizer and the network of ELMo."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

KIND = "elmo-tokens"
"""Name of the architecture in a configuration: ELMo with a table of token embeddings."""
UNKNOWN, START, END = "<unk>", "<s>", "</s>"
SPECIAL = (UNKNOWN, START, END)
"""The first tokens of each vocabulary, in this order."""
LAYERS = 2
"""Number of LSTM layers in each direction."""
LIMIT = 512
"""Maximum tokens of one input, `START` and `END` included."""
LONGEST_WORD = 100
"""Maximum characters of a word in the vocabulary; a longer word is unknown."""
MOST_SIZE, MOST_WORDS = 512, 30_000
"""Maximum dimensions of each direction, and maximum number of words in a vocabulary."""
_SIZES = {"num_hidden_layers": LAYERS, "num_attention_heads": 0}  # for the configuration of transformers
_WORD = r"[\p{L}\p{N}\p{M}_]+|[^\s\p{L}\p{N}\p{M}_]"  # a run of letters, digits and marks, or one sign


def tokenizer_of(vocabulary: Sequence[str]) -> Any:
    """Return a fast tokenizer: lower-case words and single signs, between `START` and `END`.

    Args:
        vocabulary: All tokens in the order of their numbers, `SPECIAL` first.
    """
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    numbers = {token: place for place, token in enumerate(vocabulary)}
    backend: Any = Tokenizer(models.WordLevel(numbers, unk_token=UNKNOWN))
    backend.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
    backend.pre_tokenizer = pre_tokenizers.Split(Regex(_WORD), behavior="removed", invert=True)
    frame = [(START, SPECIAL.index(START)), (END, SPECIAL.index(END))]
    backend.post_processor = processors.TemplateProcessing(single=f"{START} $A {END}", special_tokens=frame)
    fast: Any = PreTrainedTokenizerFast  # without types
    whole = fast(tokenizer_object=backend, unk_token=UNKNOWN, bos_token=START, eos_token=END, pad_token=END)
    whole.backend_tokenizer.encode_special_tokens = True  # the letters <s> in a text are not the special token
    return whole


def vocabulary_of(sentences: Iterable[str], *, most: int, minimum: int) -> tuple[str, ...]:
    """Return `SPECIAL` and the most frequent words of some sentences; words of equal count are in alphabetical order.

    Args:
        most: Maximum number of words.
        minimum: Minimum count of a word.
    """
    backend = tokenizer_of(SPECIAL).backend_tokenizer
    counts: Counter[str] = Counter()
    for sentence in sentences:
        plain = sentence.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate
        counts.update(
            word for word, _ in backend.pre_tokenizer.pre_tokenize_str(backend.normalizer.normalize_str(plain))
        )
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    known = [word for word, count in ranked if count >= minimum and len(word) <= LONGEST_WORD]
    return (*SPECIAL, *known[: min(most, MOST_WORDS)])


def new_network(tokens: int, size: int, dropout: float = 0.0) -> Any:
    """Return a torch module with random weights; torch's current random state determines the weights.

    A call of the module takes `input_ids` (b, t) and `attention_mask` (b, t), padded on the right. The call returns an
    object with `hidden_states`: three tensors (b, t, 2·size). The first half of a row is the forward direction, the
    second half is the backward direction. Layer 0 is the token embedding, twice.

    Args:
        tokens: Size of the vocabulary.
        size: Dimensions of an embedding, and of the state of one direction.
        dropout: The dropout probability. Dropout is applied to the input of each LSTM layer and, in `losses`, to the
            output of the last layer too.
    """
    from types import SimpleNamespace

    import torch
    from torch import nn
    from transformers import PretrainedConfig

    def lstms() -> Any:
        return nn.ModuleList([nn.LSTM(size, size, batch_first=True) for _ in range(LAYERS)])

    class TokenElmo(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(tokens, size)
            self.rightward, self.leftward = lstms(), lstms()
            self.output = nn.Linear(size, tokens)  # shared by both directions, as in the paper
            self.dropout = nn.Dropout(dropout)
            self.config = PretrainedConfig.from_dict({**_SIZES, "hidden_size": 2 * size})

        @property
        def device(self) -> Any:
            return self.output.weight.device

        def get_input_embeddings(self) -> Any:
            table = self.embedding.weight.detach()
            twice = torch.cat([table, table], dim=1)  # as in layer 0
            return nn.Embedding(tokens, 2 * size, _weight=twice, _freeze=True)

        def forward(self, input_ids: Any, attention_mask: Any = None, **_: Any) -> Any:
            mask = torch.ones_like(input_ids) if attention_mask is None else attention_mask
            order = reversed_places(mask.sum(dim=1), input_ids.shape[1])
            right = self.embedding(input_ids)
            left = _in_order(right, order)
            states = [torch.cat([right, right], dim=-1)]
            for ahead, back in zip(self.rightward, self.leftward, strict=True):
                right, left = ahead(self.dropout(right))[0], back(self.dropout(left))[0]
                states.append(torch.cat([right, _in_order(left, order)], dim=-1))
            return SimpleNamespace(last_hidden_state=states[-1], hidden_states=tuple(states))

    return TokenElmo()


def reversed_places(lengths: Any, width: int) -> Any:
    """Return the token positions of each sentence in reverse order, (b, t); padding stays at the end.

    Args:
        lengths: Number of tokens of each sentence without padding, (b,).
        width: Number of tokens of each sentence with padding, t.
    """
    import torch

    places = torch.arange(width, device=lengths.device).expand(len(lengths), width)
    last = lengths[:, None] - 1
    return torch.where(places <= last, last - places, places)


def _in_order(states: Any, order: Any) -> Any:
    """Return the states of each sentence, (b, t, d), in the order of the token positions `order`, (b, t)."""
    return states.gather(1, order[:, :, None].expand_as(states))


def losses(network: Any, ids: Any, mask: Any) -> tuple[Any, Any]:
    """Return two mean losses of a batch in nats per predicted token: of the forward and of the backward direction.

    The forward direction predicts the next token, the backward direction the previous token. `START` and `END` count
    as tokens, so a sentence of n words has n + 1 predictions in each direction.

    Args:
        ids: Token numbers, (b, t), padded on the right.
        mask: 1 for a token, 0 for padding, (b, t).
    """
    import torch
    from torch.nn import functional

    last = network(input_ids=ids, attention_mask=mask).last_hidden_state
    right, left = network.dropout(last).chunk(2, dim=-1)
    inside = mask[:, 1:].bool()
    ahead = functional.cross_entropy(network.output(right[:, :-1][inside]), ids[:, 1:][inside])
    back = functional.cross_entropy(network.output(left[:, 1:][inside]), ids[:, :-1][inside])
    return torch.as_tensor(ahead), torch.as_tensor(back)
