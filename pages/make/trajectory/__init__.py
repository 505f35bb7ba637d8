"""The page Replay; its name in the address is `trajectory`."""
