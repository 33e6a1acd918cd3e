"""``python -m daskxmlc_cli``."""

from daskxmlc_cli.main import main

if __name__ == "__main__":
    main(prog_name="daskxmlc")
