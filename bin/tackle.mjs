#!/usr/bin/env -S node --max-semi-space-size=8 --initial-old-space-size=40 --heap-growing-percent=30
// The flags keep the memory of a server flat: left alone, the collector lets it grow to twice what is in use.
import "../src/cli.ts";
