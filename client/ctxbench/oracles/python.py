# Reads paths, one a line; writes for each the first syntax error of the file, or line 0.
import json
import sys
import warnings

warnings.simplefilter("ignore")
sys.setrecursionlimit(20000)
for path in sys.stdin:
    path = path.rstrip("\n")
    answer = {"line": 0}
    try:
        with open(path, "rb") as f:
            compile(f.read(), path, "exec", dont_inherit=True)
    except SyntaxError as e:
        answer = {"line": e.lineno or 1, "message": e.msg}
    except (ValueError, RecursionError, MemoryError) as e:
        answer = {"line": 1, "message": str(e)}
    print(json.dumps(answer), flush=True)
