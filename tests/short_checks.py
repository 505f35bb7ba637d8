"""The check of a map, which may take half a minute, measures the fewest copies of a page once this is imported.

`python -m tests.short_checks run app.py` is `streamlit run app.py` with such checks.
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

if __name__ == "__main__":
    from streamlit.web import cli

    cli.main(prog_name="streamlit")
