# SPDX-License-Identifier: MIT
# The probe in POSIX sh: sh -c SCRIPT boxproof NONCE MARK [OPERATION PATH [OTHER]]...
# Without arguments it only defines "probe", for a shell that reads this and then a command after the other.
#
# Writes "NONCE begin COUNT", for each question "NONCE INDEX ok|no|unable [PAYLOAD]", and "NONCE end"; its status is 0.
# read, write, create, truncate, list and stat need nothing but the shell. A failing redirection may end a POSIX shell
# unless it is one of a compound command, hence the braces; bash does not negate its failure with "!", hence $opened.
# Nothing is opened that could block.

LC_ALL=C
PATH=/usr/bin:/bin
set -f
null=
[ -c /dev/null ] && { null=yes; } 2>/dev/null
[ "$null" ] && exec 2>/dev/null

# tell STATUS [PAYLOAD]: the answer to the question at hand.
tell() {
  case $1 in
    0) echo "$nonce $index ok${2:+ $2}" ;;
    126 | 127) echo "$nonce $index unable" ;;
    *) echo "$nonce $index no${2:+ $2}" ;;
  esac
}

# quietly COMMAND...: without the probe's streams, where there is anything to put in their place.
quietly() {
  if [ "$null" ]; then "$@" </dev/null >/dev/null; else "$@"; fi
}

# tool COMMAND...: something that the shell cannot do itself.
tool() {
  quietly command "$@"
  tell $?
}

present() { [ -e "$1" ] || [ -L "$1" ]; }
special() { [ -p "$1" ] || [ -c "$1" ] || [ -b "$1" ] || [ -S "$1" ]; }

# ordinary PATH: false, having told so, for what is not there or would block.
ordinary() {
  [ -f "$1" ] && return
  if special "$1"; then tell 1 special; return 1; fi
  if ! [ -e "$1" ]; then tell 1 absent; return 1; fi
}

# printable TEXT: set $line to it, with a question mark for each of up to 64 odd characters, and what follows cut off.
printable() {
  rest=$1 line=$1 odd=0
  case $rest in *[!A-Za-z0-9_.,:/+=@-]*) line='' ;; *) return ;; esac
  while [ $odd -lt 64 ]; do
    head=${rest%%[!A-Za-z0-9_.,:/+=@-]*}
    line=$line$head
    [ "$head" = "$rest" ] && return
    line="$line?" odd=$((odd + 1)) rest=${rest#"$head"}
    rest=${rest#?}
  done
}

read_line() {
  ordinary "$1" || return
  [ -d "$1" ] && { tell 1 folder; return; }
  first='' opened=''
  { opened=yes; IFS= read -r first; } <"$1"
  [ "$opened" ] || { tell 1; return; }
  printable "$first"
  tell 0 "$line"
}

# append PATH: one line of this probe's own, to a file that may be new, or to where a dangling link leads.
append() {
  if { echo "$mark-$index"; } >>"$1"; then tell 0; else tell 1; fi
}

# device PATH: a line to a device; nothing is made where there is none.
device() {
  if [ -c "$1" ] && { echo; } >"$1"; then tell 0; else tell 1; fi
}

empty() {
  if { :; } >"$1"; then tell 0; else tell 1; fi
}

# A folder that cannot be opened has no names either, so that is tried first. A pattern without a match stands for
# itself.
list() {
  opened='' names=0
  [ -d "$1" ] && { opened=yes; } <"$1"
  [ "$opened" ] || { tell 1; return; }
  set +f
  for name in "$1"/* "$1"/.[!.]* "$1"/..?*; do
    case $name in "$1/*" | "$1/.[!.]*" | "$1/..?*") present "$name" || continue ;; esac
    names=$((names + 1))
  done
  set -f
  tell 0 $names
}

kind() {
  if [ -L "$1" ]; then tell 0 link
  elif [ -d "$1" ]; then tell 0 folder
  elif [ -f "$1" ]; then tell 0 file
  elif [ -e "$1" ]; then tell 0 special
  else tell 1 absent; fi
}

# A text that the kernel does not execute, the shell reads as a script: the file could be executed all the same.
run() {
  [ -e "$1" ] || { tell 1 absent; return; }
  case $1 in */*) quietly "$1" ;; *) quietly "./$1" ;; esac
  if [ $? -eq 126 ]; then tell 1; else tell 0; fi
}

# point PATH TEXT: a link in the place of a link.
point() {
  if [ -L "$1" ]; then quietly command rm -f -- "$1"; fi
  tool ln -s -T -- "$2" "$1"
}

answer() {
  case $1 in
    read) read_line "$2" ;;
    write) if special "$2"; then tell 1 special; else append "$2"; fi ;;
    create) if [ -e "$2" ]; then tell 1 exists; else append "$2"; fi ;;
    truncate) ordinary "$2" && empty "$2" ;;
    list) list "$2" ;;
    stat) kind "$2" ;;
    remove) if present "$2"; then tool rm -f -- "$2"; else tell 1 absent; fi ;;
    mkdir) tool mkdir -- "$2" ;;
    chmod) tool chmod -- 0777 "$2" ;;
    touch) if [ -e "$2" ]; then tool touch -c -- "$2"; else tell 1 absent; fi ;;
    rename) tool mv -f -T -- "$2" "$3" ;;
    link) tool ln -T -- "$2" "$3" ;;
    symlink) point "$2" "$3" ;;
    exec) run "$2" ;;
    device) device "$2" ;;
    *) tell 127 ;;
  esac
}

# words OPERATION: set $words to what a question has.
words() {
  case $1 in rename | exchange | link | symlink) words=3 ;; *) words=2 ;; esac
}

count() {
  count=0
  while [ $# -ge 2 ]; do
    words "$1"
    [ $# -ge $words ] || break
    shift $words
    count=$((count + 1))
  done
}

# probe NONCE MARK [OPERATION PATH [OTHER]]...
probe() {
  nonce=$1 mark=$2
  shift 2
  count "$@"
  echo "$nonce begin $count"
  index=0
  while [ $index -lt $count ]; do
    words "$1"
    answer "$1" "$2" "${3-}"
    shift $words
    index=$((index + 1))
  done
  echo "$nonce end"
}

if [ $# -gt 0 ]; then
  probe "$@"
  exit 0
fi
