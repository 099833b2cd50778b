"""Answers in words: plain text for terminal, report and page; no arithmetic of its own."""
