"""Terminal, lines, Markdown and packing: what every other room writes with."""
