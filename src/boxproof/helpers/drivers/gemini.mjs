// SPDX-License-Identifier: MIT
// Runs one command as the shell tool of @google/gemini-cli-core does, in what its LinuxSandboxManager makes of it:
// node gemini.mjs MANAGER REQUEST COMMAND [ARGUMENT ...]

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { pathToFileURL } from 'node:url';

const KILL_AFTER_MS = 200; // as the package's killProcessGroup does
let child;
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    if (!child) process.exit(128 + constants.signals[signal]);
    child.kill(signal);
    setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS).unref();
  });
}

// The package's shell tool shows the message of what is thrown.
process.on('uncaughtException', (error) => {
  console.error(`gemini: ${error.message}`);
  process.exit(1);
});

const [manager, file, command, ...args] = process.argv.slice(2);
const { options, request } = JSON.parse(readFileSync(file, 'utf8'));
const { LinuxSandboxManager } = await import(pathToFileURL(manager).href);
const prepared = await new LinuxSandboxManager({
  ...options,
  forbiddenPaths: async () => options.forbiddenPaths,
}).prepareCommand({ ...request, command, args, env: process.env });

child = spawn(prepared.program, prepared.args, { cwd: prepared.cwd, env: prepared.env, stdio: 'inherit' });
child.on('error', (error) => {
  console.error(`gemini: ${error.message}`);
  process.exitCode = 1;
});
child.on('close', (code, signal) => {
  prepared.cleanup?.();
  process.exitCode ??= code ?? 128 + constants.signals[signal];
});
