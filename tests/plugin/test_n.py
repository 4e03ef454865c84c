from tests.plugin.cases import case_text
from tests.plugin.suite import GOOD
def test_prof(suite):
    import cProfile, pstats
    tree = "ws/\n" + "".join(f"ws/{number} file\n" for number in range(10000))
    suite.write(case_text(tree=tree, rules=["rw ws", "deny ws/77"], probes=["read ws/77", "read ws/78", "write ws/9999"]))
    suite.adapter(deny_file=[])
    pr=cProfile.Profile(); pr.enable()
    suite.drive(GOOD, "--case=case.toml")
    pr.disable()
    pstats.Stats(pr).sort_stats("tottime").print_stats(25)
    pstats.Stats(pr).sort_stats("cumulative").print_stats(r"boxproof", 45)
