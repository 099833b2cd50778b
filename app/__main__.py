"""``python -m app`` is ``blocktime``."""

from app.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
