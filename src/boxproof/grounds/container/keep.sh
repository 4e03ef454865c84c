# SPDX-License-Identifier: MIT
# The second process of a container: sees to the others while the first one waits for a helper.
#
# Reads orders on its standard input; without the engine at the other end everything else is killed. "signal N PID"
# sends a signal, "kill" kills all processes but this and the first (kill(2), -1). "look" writes "left PID STATE FLAGS
# NAME" for each of those, from the fields of /proc/PID/stat (proc(5)), and then "looked".

[ $PPID = 1 ] || exit 2 # kill(2) with -1 is for a container only
set -f

# show PID: one line for a process that is still there.
show() {
  text=''
  while IFS= read -r part; do text="$text$part "; done <"/proc/$1/stat"
  [ "$text" ] || return
  name=${text#*\(} fields=${text##*\) }
  set -- "$1" "${name%\) *}" $fields
  echo "left $1 $3 $9 $2"
}

look() {
  set +f
  for folder in /proc/[0-9]*; do
    pid=${folder#/proc/}
    case $pid in 1 | $$ | *[!0-9]*) continue ;; esac
    show "$pid" 2>/dev/null
  done
  set -f
  echo looked
}

while read -r order number pid; do
  case $order in
    look) look ;;
    signal) kill -s "$number" "$pid" 2>/dev/null ;;
    kill) kill -s KILL -- -1 2>/dev/null ;;
  esac
done
kill -s KILL -- -1
