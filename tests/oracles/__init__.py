"""What tests judge by, and draw from: nothing here is a test."""
