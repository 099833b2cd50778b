"""An answer drawn on a page: headline, charts, instruments and how sure it is."""
