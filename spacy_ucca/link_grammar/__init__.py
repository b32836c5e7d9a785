"""Link Grammar: its parses, the direction of links by integer programming, and their agreement with dependencies.

Not here: bilexical parsing (`sdp_parser`).
"""
