"""The check of a map, which may take half a minute, measures the fewest copies of a page once this is imported.

`python -m tests.short_checks run app.py` is `streamlit run app.py` with such checks, and with `one_at_a_time`.
"""

from embedviz import jobs
from embedviz.projection import quality

CHECK = "embedviz.projection.quality:check"
submit = jobs.Pool.submit


def _submit(pool, function, /, *args, **kwargs):
    """Submit a job as ever, but for the number of copies."""
    fewest = {"copies": quality.USUAL_FEWEST} if function == CHECK else {}
    return submit(pool, function, *args, **fewest, **kwargs)


jobs.Pool.submit = _submit


def one_at_a_time():
    """Let the pool of this process run one short job after the other, with one thread: tests share the cores.

    Several workers would load the same libraries, and several threads would wait for each other.
    """
    crew = jobs.pool()._crew
    crew._workers = crew._cores = 1


if __name__ == "__main__":
    from streamlit.web import cli

    one_at_a_time()
    cli.main(prog_name="streamlit")
