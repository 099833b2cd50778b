"""``python -m blocktime`` is the command ``blocktime``."""

if __name__ == "__main__":
    try:
        from blocktime.app.start import main

        raise SystemExit(main())
    except KeyboardInterrupt:
        raise SystemExit(130) from None
