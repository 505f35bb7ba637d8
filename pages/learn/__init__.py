"""The section Learn: a course of short lessons, each with one interactive figure."""
