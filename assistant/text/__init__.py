"""What a person wrote: cleaned of what nobody sees, and checked for what no entry may carry."""
