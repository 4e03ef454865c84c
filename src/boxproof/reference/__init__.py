# SPDX-License-Identifier: MIT
"""The reference helper: an unmodified bwrap, driven so that a policy means what it says on links that real people have.

Standard library only, and nothing of the rest of Boxproof. It is meant to be read: a vendor whose helper fails a
requirement finds here the step that meets it. `main` tells the command line, `policyfile` the policy.

1.  Read the policy strictly: unknown and doubled keys are refused (`policyfile`; CONF-1, NAME-1, NAME-2).
2.  Follow each spelling on the host as the kernel does, one component at a time: 40 links, ``..`` after links, a slash
    asks for a folder; keep what was crossed, and hold what was reached by descriptor (`walk`, `held`; BIND-1, BIND-7).
3.  Drop ``ro`` and ``rw`` rules that lead nowhere, in silence: less access is safe (`resolve`; START-2, START-3).
    Behind an unreadable folder that the command could open up, that folder becomes read-only.
4.  Group by real object: the place in its file system, so that hard links stay apart and a second mount is a second
    name (`plan.group`, `mountinfo`; BIND-3, MASK-2, MASK-3, MASK-9).
5.  One access an object, deny over ro over rw, whatever the order (`plan.stricter`; BIND-4).
6.  Lay all out in one table from canonical path to access, in which the nearest entry wins; what lies below a denied
    folder is denied with it (`plan.lay_out`, `view`; NEST-1, NEST-2, MASK-1, MASK-6).
7.  Refuse what could not be enforced: a link, or a folder climbed out of, that the command could replace; the root;
    /proc and /dev; a cwd that is not shown (`refuse`, `kernelfolders`; MASK-5, MASK-8, ESC-4, BIND-6).
8.  Trust a bwrap only if nobody else, and not the policy, can replace it (`bwrap`; FALL-1, FALL-7).
9.  Up to here nothing was changed. Go on in a second process, which ends everything when the first is killed
    (`survivor`, `processes`; HOST-2, HOST-3).
10. A denied name that does not exist: ignore it where nothing inside can make it, else reserve it by an overlay that
    the host does not show, else refuse (`missing`, `overlay`, `workfolder`; MASK-4, HOST-4).
11. Mount on real paths, parents before children, one mask each; pin the folders between a writable one and a
    restriction in it; with listed reads make the crossed links again (`mounts`; START-1, BIND-2, ESC-1 to ESC-3).
12. Start bwrap with private namespaces, no capability, no descriptor but 0 to 2, the caller's signals, limits and
    environment (`launch`, `spawn`, `descriptors`, `limits`; PROC-2, PROC-4, PROC-5, PROC-7, START-5).
13. When all is mounted and before the command is let in, look at the sandbox from outside: each object is the one that
    is held, and still has its name; read-only is read-only; each mask is there (`verify`; RACE-1, BIND-8, FALL-3).
14. Let the command in by a gate that stays shut when this helper dies (`gate`; RACE-1).
15. Relay signals, give a hanging bwrap a deadline, believe only its own record that the command ran, and end when the
    last process is gone (`launch.Watch`, `signals`, `statusrecords`; PROC-1, PROC-6, FALL-6, HOST-3).
16. Say no on one line and with one status, from ``--check`` too (`refusal`, `preflight`; FALL-5).

Kept compatible with Python 3.9. To run a copy elsewhere, copy the folder under any name that is an identifier, and
start it by path: ``python3 -I -S FOLDER --policy FILE -- COMMAND``.
"""
