"""File formats, one module each, read and written; `registry` lists them, `files` converts files and directories.

Not here: conversion to training data (`training.convert`).
"""
