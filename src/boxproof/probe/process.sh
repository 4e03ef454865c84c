# SPDX-License-Identifier: MIT
# The command of cases about processes: sh -c SCRIPT boxproof NONCE STEPS COUNT ARGUMENT... COMMAND...
#
# Takes the steps in order, the probe COMMAND being one of them. A fact is "NONCE NAME", a line feed, and bytes up to the
# next line that begins with the nonce. What a caller ignores a shell cannot change, and nothing here opens a descriptor
# but for the moment of reading a file of /proc: what is told is what the command was started with. Nor does it need a
# /dev/null that can be written: some helpers show none.

nonce=$1 steps=$2 count=$3 out=1
shift 3

say() {
  if [ $out -eq 2 ]; then printf "$@" >&2; else printf "$@"; fi
}

fact() { say '%s %s\n' "$nonce" "$1"; }

# Without /proc there is nothing to tell, which is not the same as nothing to find.
known() {
  fact "$1"
  [ -e /proc/self/status ] || say 'unknown\n'
}

lines() {
  known "$1"
  [ -r "/proc/self/$1" ] && while IFS= read -r line; do say '%s\n' "$line"; done <"/proc/self/$1"
}

# By number: a pattern would open the folder, and find that.
descriptors() {
  known descriptors
  number=3
  while [ $number -lt 1024 ]; do
    [ -e "/proc/self/fd/$number" ] && say '%s\n' $number
    number=$((number + 1))
  done
}

streams() {
  known streams
  for number in 0 1 2; do
    state=closed
    [ -e "/proc/self/fd/$number" ] && state=open
    [ -c "/proc/self/fd/$number" ] && state=device
    say '%s %s\n' $number $state
  done
}

# The launcher of the suite gives itself this name, and none that it executes keeps it.
processes() {
  known processes
  for entry in /proc/[0-9]*/comm; do
    name=
    { IFS= read -r name <"$entry"; } 2>&-
    [ "$name" = boxproof-launch ] && say 'seen\n'
  done
}

environment() {
  fact environment
  names=$1
  while [ "$names" ]; do
    name=${names%%,*} names=${names#*,}
    eval "say '%s=%s\\0' $name \"\${$name-}\""
  done
}

wait_for_end() {
  fact waiting
  while IFS= read -r line; do :; done
}

copy() {
  PATH=$PATH:/usr/bin:/bin
  if [ "$1" = stderr ]; then cat >&2; else cat; fi
}

case " $steps " in *" on-stderr "*) out=2 ;; esac
left=$count
fact arguments
while [ "$left" -gt 0 ]; do
  say '%s\0' "$1"
  shift
  left=$((left - 1))
done
for step in $steps; do
  case $step in
    stubborn) trap '' HUP INT QUIT TERM USR1 USR2 ALRM ;;
    status | limits) lines "$step" ;;
    umask) fact umask; say '%s\n' "$(umask)" ;;
    cwd) fact cwd; say '%s\n' "$(pwd -P)" ;;
    descriptors | streams | processes) $step ;;
    environment=*) environment "${step#*=}," ;;
    probe) fact end; if [ $out -eq 2 ]; then "$@" >&2; else "$@"; fi ;;
    wait) wait_for_end ;;
    copy=*) copy "${step#*=}" ;;
    die=*) kill -s "${step#*=}" $$ ;;
    exit=*) exit "${step#*=}" ;;
  esac
done
exit 99
