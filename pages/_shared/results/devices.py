"""The device (processor or graphics card) that computes, as sentences for the menu in the header."""

import time

import streamlit as st

from embedviz import __version__, jobs
from embedviz.core import device
from embedviz.jobs import cluster

SECONDS = 30
"""Seconds for which an answer about a graphics card is used."""
_last = "Device: looking for a graphics card …"


def about() -> str:
    """Return as Markdown the program's version, the device in use, its free memory, and what runs on a cluster."""
    return "\n\n".join(filter(None, [f"**embedviz** {__version__}", in_use(), cluster_in_use()]))


def cluster_in_use() -> str:
    """Return a sentence on what runs on a computer cluster; empty if no such cluster is configured."""
    what = "Encoding texts, counting word pairs and answering analogy sets run on a cluster when they are large."
    return what if cluster.named() else ""


@st.cache_data(ttl=5.0, show_spinner=False)
def _processor() -> str:
    """Return a sentence on the processor; cached, since it reads the limits of a container from files."""
    return device.device_in_use("cpu").sentence


def in_use() -> str:
    """Return a sentence: which device computes, and how much of its memory is free.

    The server never imports torch. If there may be a graphics card, a worker looks for it. Until the worker answers,
    the sentence of the last call is returned. If the device or the job fails, the error's message is returned.
    """
    global _last
    try:
        name = device.named_device()
        if name == "cpu" or (name == "auto" and not device.card_possible()):
            return _processor()
        key = ("device", name, int(time.time() // SECONDS))
        job = jobs.run("embedviz.core.device:device_in_use", name, key=key, again=False)
    except (device.DeviceError, jobs.JobError) as error:
        return str(error)
    if job.finished:
        _last = job.error or job.result(0).sentence
    return _last
