"""The core of pf-verify: papers in, affected modules and findings out."""
