"""Tables in files: CSV, TSV, Excel and Parquet."""
