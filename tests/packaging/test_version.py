from importlib import metadata

import laizi


def test_the_version_is_stated_once():
    assert metadata.version("laizi") == laizi.__version__
