"""What gold labels of experts who err do to estimates, and what second opinions mend."""
