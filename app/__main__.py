"""``python -m app`` is ``blocktime``."""

if __name__ == "__main__":
    try:
        from app.start import main

        raise SystemExit(main())
    except KeyboardInterrupt:
        raise SystemExit(130) from None
