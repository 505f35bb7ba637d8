"""A small CLIP with random weights and a tokenizer of its own, as a folder of transformers."""

import json
import string

import torch


def made(folder, *, side=32, patch=8, seed=0):
    """Write the folder of a CLIP and return it."""
    from transformers import CLIPConfig, CLIPModel

    torch.manual_seed(seed)
    start, end = "<|startoftext|>", "<|endoftext|>"
    merges = ["r e", "re d</w>", "b l", "bl u", "blu e</w>"]
    pieces = [*string.ascii_lowercase, *(f"{sign}</w>" for sign in string.ascii_lowercase)]
    tokens = [*pieces, *("".join(merge.split()) for merge in merges), start, end]
    layers = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    last = len(tokens) - 1
    ids = {"bos_token_id": last - 1, "eos_token_id": last, "pad_token_id": last}
    config = CLIPConfig(
        text_config={**layers, **ids, "vocab_size": len(tokens), "max_position_embeddings": 24},
        vision_config={**layers, "image_size": side, "patch_size": patch},
        projection_dim=12,
    )
    network = CLIPModel(config)
    with torch.no_grad():
        for weights in network.parameters():
            if weights.dim() > 1:
                weights.mul_(8)  # so that different pictures get different vectors
    folder.mkdir(parents=True, exist_ok=True)
    network.save_pretrained(folder)
    (folder / "vocab.json").write_text(json.dumps({token: place for place, token in enumerate(tokens)}))
    (folder / "merges.txt").write_text("#version: 0.2\n" + "\n".join(merges) + "\n")
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "CLIPTokenizer", "bos_token": start, "eos_token": end, "pad_token": end})
    )
    (folder / "preprocessor_config.json").write_text(
        json.dumps({"image_mean": [0.4, 0.5, 0.6], "image_std": [0.2, 0.25, 0.3], "size": {"shortest_edge": 10**6}})
    )
    return folder
