"""From figures to a system: which fields of a scenario the figures of a report determine, and how well."""
