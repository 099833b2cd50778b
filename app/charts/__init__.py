"""Answers as figures: pure functions, no Streamlit, no plotly import."""
