/** perf and ping on sockets of ::1: what they measure is not asserted, only that everything arrives and is counted. */
import { createSocket } from 'node:dgram'
import { networkInterfaces } from 'node:os'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFolder, rocelab, startRocelab, until } from './program.ts'

const hasIpv6 = Object.values(networkInterfaces()).some((list = []) => list.some(({ address }) => address === '::1'))
if (!hasIpv6) console.warn('SKIPPED: tests of perf and ping need the address ::1')

/** A port that nobody has just now. */
async function freePort(): Promise<number> {
  const socket = createSocket('udp6')
  await new Promise<void>((resolve) => socket.bind(0, '::1', () => resolve()))
  const { port } = socket.address()
  await new Promise<void>((resolve) => socket.close(() => resolve()))
  return port
}

let at: ReturnType<typeof createFolder>
beforeEach(() => {
  at = createFolder()
})
afterEach(() => at.clear())

/** Runs `body` beside a program that listens, which is interrupted afterwards. */
async function beside(args: readonly string[], body: () => Promise<void> | void): Promise<string> {
  const { child, ended } = startRocelab(at.folder, ...args)
  await new Promise<void>((resolve) => {
    child.stderr?.on('data', (text: string) => {
      if (text.includes('listening')) resolve()
    })
    child.on('close', () => resolve())
  })
  await body()
  child.kill('SIGINT')
  return (await ended).stdout
}

describe.skipIf(!hasIpv6)('on ::1', () => {
  test('perf times every operation between two ends, and both count the same packets', async () => {
    const port = `${await freePort()}`
    const output = await beside(['perf', '--listen', '--port', port], () => {
      for (const [operation, kind, ...more] of [
        ['write', '--bw', '-q', '2'],
        ['read', '--bw', '--recovery', 'irn'],
        ['send', '--bw', '--congestion', 'dcqcn', '--rate', '1Gbps', '--recovery', 'irn'],
        ['send', '--lat'],
        ['atomic', '--lat'],
      ] as const) {
        const args = [operation, kind, '::1', '--port', port, '-n', '50', ...more, '--json']
        const { code, stdout } = rocelab(at.folder, 'perf', ...args)
        const result = JSON.parse(stdout) as { completed: number; packets: { sent: number } }
        expect({ code, ...result }).toMatchObject({ code: 0, isDone: true, failure: null, role: 'client' })
        expect(result.completed).toBe(more[0] === '-q' ? 100 : 50)
        expect(result.packets.sent).toBeGreaterThanOrEqual(50)
      }
      const second = rocelab(at.folder, 'perf', '--listen', '--port', port)
      expect([second.code, second.stderr]).toEqual([2, expect.stringContaining('another program has')])
    })
    expect(output.match(/ as server$/gm)).toHaveLength(5)
  })

  test('perf loses what a script says, under IRN too, and sends it again', async () => {
    const port = `${await freePort()}`
    writeFileSync(path.join(at.folder, 'drop.yaml'), '- {match: data, nth: 5, do: drop}\n')
    writeFileSync(path.join(at.folder, 'nak.yaml'), '- {match: data, nth: 5, do: {nak: 60}}\n')
    const args = ['perf', 'write', '--bw', '::1', '--port', port, '-n', '20', '-s', '4096', '--recovery', 'irn']
    await beside(['perf', '--listen', '--port', port], () => {
      const { code, stdout } = rocelab(at.folder, ...args, '--script', 'drop.yaml', '--json')
      const result = JSON.parse(stdout) as { rules: { acted: number }[]; packets: { retransmitted: number } }
      expect({ code, ...result }).toMatchObject({ code: 0, isDone: true, rules: [{ acted: 1 }] })
      expect(result.packets.retransmitted).toBeGreaterThan(0)
    })
    const refused = rocelab(at.folder, ...args, '--script', 'nak.yaml')
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/^nak\.yaml: rule 1: /)])
  })

  test('text has the columns of perftest', async () => {
    const port = `${await freePort()}`
    await beside(['perf', '--listen', '--port', port], () => {
      const { stdout, stderr } = rocelab(at.folder, 'perf', 'write', '--bw', '::1', '--port', port, '-n', '10')
      expect(stdout).toMatch(
        /#bytes +#iterations +BW peak\[MB\/sec\] +BW average\[MB\/sec\] +MsgRate\[Mpps\]\n 65536 +10 /,
      )
      expect(stderr).toContain('floor on ::1')
    })
  })

  test('ping counts probes of each path, and pingmesh reads its log', async () => {
    const port = `${await freePort()}`
    await beside(['ping', '--listen', '--port', port], () => {
      const args = ['--port', port, '--source-ports', '2', '--count', '20', '--interval', '20ms', '--timeout', '5s']
      const { code, stdout } = rocelab(at.folder, 'ping', '::1', ...args, '--log', 'a.csv', '--json')
      expect({ code, ...(JSON.parse(stdout) as object) }).toMatchObject({ code: 0, pairs: [{ sent: 40, lost: 0 }] })
    })
    expect(readFileSync(path.join(at.folder, 'a.csv'), 'utf8').split('\n')).toHaveLength(42)
    const { code, stdout } = rocelab(at.folder, 'pingmesh', 'a.csv', '--json')
    const { pairs } = JSON.parse(stdout) as { pairs: readonly { count: number; failed: number }[] }
    expect({ code, pairs }).toMatchObject({ code: 0, pairs: [{ destination: '::1', count: 40, failed: 0 }] })
  })

  test('a mesh of four hosts probes all twelve pairs, and pingmesh reads its log', async () => {
    const names = ['a', 'b', 'c', 'd']
    const lines = await Promise.all(names.map(async (name) => `${name} [::1]:${await freePort()} t1`))
    const { folder, clear } = createFolder({ 'hosts.txt': lines.join('\n') })
    const args = ['--interval', '50ms', '--timeout', '5s', '--json', '--log', 'm.csv']
    const { child, ended } = startRocelab(folder, 'ping', '--mesh', 'hosts.txt', ...args)
    const log = path.join(folder, 'm.csv')
    await until(() => existsSync(log) && readFileSync(log, 'utf8').split('\n').length > 120)
    child.kill('SIGINT')
    const { pairs } = JSON.parse((await ended).stdout) as { pairs: readonly { sent: number; lost: number }[] }
    expect([pairs.length, pairs.filter(({ sent, lost }) => sent === 0 || lost > 0)]).toEqual([12, []])
    const read = rocelab(folder, 'pingmesh', 'm.csv', '--json')
    const found = JSON.parse(read.stdout) as { pairs: readonly { source: string; failed: number }[] }
    expect([read.code, found.pairs.length, found.pairs.filter(({ failed }) => failed > 0)]).toEqual([0, 12, []])
    clear()
  })
})
