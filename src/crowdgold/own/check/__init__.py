"""What a study's data can support, before anything is fitted."""
