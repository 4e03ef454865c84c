import sys
from tests.bench.subject import subject
from tests.bench.ratio import measure
for given in sys.argv[2:]:
    given, _, env = given.partition(',')
    with subject(given, dict(w.split('=') for w in env.split(',') if w)) as s:
        r = measure(s, int(sys.argv[1]))
        print(f"{r.helper:24} {r.cases:4} draw {r.draw*1e3:5.2f} total {r.total*1e3:6.2f} launch {r.launch*1e3:6.2f} bare {r.bare*1e3:6.2f} answered {r.answered:.2f} ratio {r.ratio:.2f}")
