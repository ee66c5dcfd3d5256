import subprocess
import sys


def test_numpy_is_not_imported_with_the_engine() -> None:
    program = "import sys, simbackup.engine.buffer, simbackup.randomness; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
