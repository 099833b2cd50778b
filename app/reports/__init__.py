"""Files to take away: self-contained pages, tables, and the reports that a system would leave."""
