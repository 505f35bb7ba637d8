# make run: the app on http://localhost:8501 · make serve: the same for your network · make test: all fast tests · make test-gpu: those that need a graphics card · PYTHON=python3.12 chooses an interpreter
PYTHON ?= python3
PORT ?= 8501
BIN := .venv/bin
INSTALLED := .venv/.installed
TESTING := .venv/.installed-tests

.PHONY: run serve dev install test test-all test-gpu lint format bench calibration clean

run: $(INSTALLED)
	@echo "embedviz opens on http://localhost:$(PORT) (stop it with Ctrl-C)"
	@PYTHONPATH=. OMP_NUM_THREADS=1 exec $(BIN)/streamlit run app.py --server.port $(PORT) --server.headless true

serve: $(INSTALLED)
	@$(BIN)/embedviz serve --port $(PORT)

dev: $(INSTALLED)
	@PYTHONPATH=. OMP_NUM_THREADS=1 exec $(BIN)/streamlit run app.py --server.port $(PORT) --server.fileWatcherType poll --server.runOnSave true

install: $(INSTALLED)

test: $(TESTING)
	$(BIN)/python -m tests

test-all: $(TESTING)
	$(BIN)/python -m pytest

test-gpu: $(TESTING)
	$(BIN)/python -m pytest -m gpu

lint: $(TESTING)
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy
	@if [ -x node_modules/.bin/tsc ]; then npm run --silent lint; else echo "The scripts were not checked: npm is not installed, or did not bring TypeScript."; fi

format: $(TESTING)
	$(BIN)/ruff check --fix . ; $(BIN)/ruff format . ; PYTHONPATH=. $(BIN)/python -m embedviz.figures.theme

bench: $(TESTING)
	@for script in $(filter-out benchmarks/calibration.py,$(wildcard benchmarks/*.py)); do echo "== $$script"; PYTHONPATH=. $(BIN)/python $$script || exit 1; done

calibration: $(TESTING)
	PYTHONPATH=. $(BIN)/python benchmarks/calibration.py

clean:
	rm -rf .venv

$(INSTALLED): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if (3, 11) <= v <= (3, 13) else "embedviz needs Python 3.11, 3.12 or 3.13; $(PYTHON) is %d.%d. Name another: make run PYTHON=python3.12" % v)'
	@echo "Setting up .venv: about 2.5 GB on disk; on Linux with the CUDA build of PyTorch 3 GB to download and 6 GB on disk."
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@if command -v uv >/dev/null 2>&1; then VIRTUAL_ENV=.venv uv pip install -q -r requirements.txt && VIRTUAL_ENV=.venv uv pip install -q --no-deps -e . ; \
	 else $(BIN)/python -m pip install -q --disable-pip-version-check -r requirements.txt && $(BIN)/python -m pip install -q --disable-pip-version-check --no-deps -e . ; fi
	@touch $@

$(TESTING): requirements-test.txt package.json $(INSTALLED)
	@$(BIN)/python -m pip install -q --disable-pip-version-check -r requirements-test.txt
	@if command -v npm >/dev/null 2>&1; then npm install --silent --no-audit --no-fund --no-package-lock || true; fi
	@if ! command -v chromium-headless-shell >/dev/null 2>&1 && ! command -v chromium >/dev/null 2>&1; then \
	   if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then apt-get update -qq && export DEBIAN_FRONTEND=noninteractive && { apt-get install -y -qq chromium-headless-shell || apt-get install -y -qq chromium; } >/dev/null; \
	   else $(BIN)/python -m playwright install chromium; fi; fi
	@touch $@
