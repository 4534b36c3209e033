# The two commands of the README: `make demo` and `make test`. Both set up $(VENV) when it is missing or out of date.
VENV ?= .venv
PYTHON ?= python3
OUT ?= out/demo
BIN := $(VENV)/bin

.PHONY: demo test lint install clean

install: $(VENV)/.installed

$(VENV)/.installed: setup.cfg pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[test]'
	touch $@

demo: install
	$(BIN)/thai-dialect-bench demo --out $(OUT) $(if $(RELEASE),--release '$(RELEASE)')
	$(BIN)/healthdial demo --out $(OUT)

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint
	$(BIN)/python -m pytest -n auto --dist loadfile

clean:
	rm -rf out thai_dialect_bench/data thai_dialect_bench/README.md thai_dialect_bench/LICENSE.md .healthdial-work
	rm -rf healthdial/data healthdial/plots
	rm -f healthdial/README.md healthdial/README.text.md healthdial/LICENSE.md healthdial/splits.json healthdial/import_report.json
