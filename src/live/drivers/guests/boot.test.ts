/** Guests that do not boot, by a program in the place of QEMU: once is no failure, twice is. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { onPath } from '../../../../tests/support/on-path.ts'
import { Guest, GuestError } from './guest.ts'

const isHere = onPath('setpriv') !== undefined && onPath('bash') !== undefined
if (!isHere) console.warn('guests that do not boot: skipped, there is no setpriv or no bash on this machine')

/** Panics as often as there are files to take away, then answers as the shell of a guest. */
const QEMU = `#!/bin/bash
here=$(dirname "$0")
echo "$*" >> "$here/words"
mark=$(echo "$*" | sed 's/.*rl.mark=//; s/ .*//')
for file in "$here"/panic*; do
  [ -e "$file" ] || continue
  rm "$file"
  echo "Kernel panic - not syncing: IO-APIC + timer doesn't work!"
  exit 0
done
echo "@@$mark ready"
while read -r line; do echo "@@$mark 0"; done
`

let folder: string
const before = process.env['PATH']
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'rocelab-boot-'))
  const file = path.join(folder, 'qemu-system-x86_64')
  writeFileSync(file, QEMU)
  chmodSync(file, 0o755)
  process.env['PATH'] = `${folder}:${before}`
})
afterEach(() => {
  process.env['PATH'] = before
  rmSync(folder, { recursive: true })
})

const SYSTEM = { kernel: 'kernel', initrd: 'initrd' } as Parameters<typeof Guest.start>[0]
const boot = (reboots: GuestError[]): Promise<Guest> =>
  Guest.start(SYSTEM, {
    name: 'client',
    ip4: '192.0.2.2/24',
    ip6: '2001:db8::2/64',
    mac: '52:54:00:00:00:02',
    localPort: 1,
    remotePort: 2,
    onReboot: (error) => void reboots.push(error),
  })

test.skipIf(!isHere)('a guest that does not boot once is booted again, and that is said', async () => {
  writeFileSync(path.join(folder, 'panic'), '')
  const reboots: GuestError[] = []
  const guest = await boot(reboots)
  expect((await guest.run('true')).code).toBe(0)
  expect([reboots.length, reboots[0]?.message]).toEqual([1, expect.stringContaining('IO-APIC')])
  guest.stop()
})

test.skipIf(!isHere)('a guest that does not boot twice has ended', async () => {
  for (const name of ['panic1', 'panic2']) writeFileSync(path.join(folder, name), '')
  const reboots: GuestError[] = []
  await expect(boot(reboots)).rejects.toBeInstanceOf(GuestError)
  expect(reboots.length).toBe(1)
})
