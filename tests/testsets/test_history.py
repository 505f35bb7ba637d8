"""The steps of the history are in order, and their sizes are those of the models that are here."""

from embedviz.testsets.history import MILESTONES


def test_the_steps_stand_in_the_order_of_their_years_and_lead_to_lessons():
    from pages.learn.lessons.table import LESSONS

    assert [one.year for one in MILESTONES] == sorted(one.year for one in MILESTONES)
    assert {one.lesson for one in MILESTONES} <= {one.name for one in LESSONS}


def test_the_size_of_the_built_in_encoder_is_that_of_its_weights(encoder):
    row = next(one for one in MILESTONES if one.name == "minilm")
    table = encoder.network.get_input_embeddings().weight
    assert tuple(table.shape) == (row.rows, row.dimensions)
    assert sum(each.numel() for each in encoder.network.parameters()) == row.total
    assert row.parameters == table.numel()


def test_the_table_of_llama_is_as_many_times_that_of_bert_as_is_said():
    sizes = {one.name: one for one in MILESTONES}
    assert round(sizes["llama3"].parameters / sizes["bert"].parameters) == 22
    assert "22 times" in sizes["llama3"].cost
    assert sizes["gpt3"].parameters == 617_558_016  # 50,257 × 12,288


def test_the_sizes_of_bert_and_llama_are_those_of_their_published_configurations():
    """The classes of transformers are made without memory, and their parameters counted."""
    import torch
    from transformers import BertConfig, BertModel, LlamaConfig, LlamaForCausalLM

    llama = LlamaConfig(
        vocab_size=128_256,
        hidden_size=4_096,
        intermediate_size=14_336,
        num_hidden_layers=32,
        num_attention_heads=32,
        num_key_value_heads=8,
    )
    sizes = {one.name: one for one in MILESTONES}
    for name, make in (("bert", lambda: BertModel(BertConfig())), ("llama3", lambda: LlamaForCausalLM(llama))):
        with torch.device("meta"):
            network = make()
        assert sum(each.numel() for each in network.parameters()) == sizes[name].total
        table = network.get_input_embeddings().weight
        assert tuple(table.shape) == (sizes[name].rows, sizes[name].dimensions)
