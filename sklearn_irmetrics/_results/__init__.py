"""What every result can do: be shown as a table, drawn, written and read."""
