import { readFileSync } from 'node:fs'
import { readFaultScript } from '../../src/live/faults/read-script.ts'
import { FaultLine, type FaultEvent } from '../../src/live/faults/fault-line.ts'
import { see } from '../../src/live/faults/seen.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { IP4, Lan } from './lan.ts'
let lan: Lan
beforeAll(async () => { lan = await Lan.start() }, 300_000)
afterAll(() => lan?.stop())
const P = 'ibv_rc_pingpong -g 1 -n 100', pp = [P, `${P} ${IP4[1]}`]
const perf = (n: string, o = '') => [`${n} -F -x 1 -n 100 ${o}`, `${n} -F -x 1 -n 100 ${o} ${IP4[1]}`]
const rp = (o: string) => [`rping -s -a ${IP4[1]} ${o}`, `rping -c -a ${IP4[1]} ${o}`]
const T: [string, string[]][] = [
 ['middle-packet-lost', pp], ['last-ack-lost', pp], ['every-tenth-lost', pp], ['bad-icrc', pp], ['everything-twice', pp], ['reordered', pp],
 ['receiver-not-ready', pp], ['receiver-never-ready', pp], ['remote-access-error', pp], ['remote-operation-error', pp], ['truncated', pp],
 ['payload-changed', rp('-C 10 -V -v')], ['payload-changed', [pp[0]+' -c', pp[1]+' -c']],
 ['pause', pp], ['read-response-lost', perf('ib_read_lat', '-s 4096')], ['atomic-response-lost', perf('ib_atomic_lat')], ['nak-late', perf('ib_write_bw')], ['congestion-marks', pp],
 ['cnps', pp], ['connection-rejected', rp('-C 3 -v')], ['ready-to-use-lost', rp('-C 3 -v')], ['everything-twice', rp('-C 3 -v')], ['every-tenth-lost', perf('ib_send_bw')], ['everything-twice', perf('ib_atomic_bw')],
 ['peer-vanishes', pp],
]
test('x', async () => {
  for (const [name, [s, c]] of T) {
    const events: FaultEvent[] = []
    const line = new FaultLine(readFaultScript(readFileSync(`scenarios/faults/${name}.yaml`, 'utf8'), name), (e) => events.push(e))
    lan.use(line)
    const t0 = Date.now()
    const server = await lan.second.background(s!)
    await lan.second.run(s!.startsWith('rping') ? 'sleep 0.5' : `i=0; until cat /proc/net/tcp /proc/net/tcp6 | grep -q ':4853 0*:0000 0A' || [ $i = 50 ]; do sleep 0.1; i=$((i+1)); done; echo waited $i`).then(x => console.log(x.output))
    const t1 = Date.now()
    const client = await lan.first.run(`timeout -s KILL 12 ${c}`)
    const t2 = Date.now()
    const s2 = await lan.second.run(`i=0; while kill -0 $pid1 2>/tmp/none && [ $i -lt 10 ]; do sleep 0.1; i=$((i+1)); done; killall -9 ${s!.split(' ')[0]}`)
    const kinds: Record<string, number> = {}
    for (const e of events) { const z = see(e.frame); const k = z === null ? 'other' : z.mad ?? [...z.kinds].at(-1)!; const kk = `${k}${e.action === 'pass' ? '' : ':' + e.action}`; kinds[kk] = (kinds[kk] ?? 0) + 1 }
    const se = await server.ended()
    console.log(`== ${name} ${c}\nlisten ${t1-t0} run ${t2-t1} end ${Date.now()-t2}\nclient ${client.code} ${client.output.slice(-700)}\nserver ${se.code} ${se.output.slice(-300)}\n${JSON.stringify(kinds)} ${JSON.stringify(line.counts)}`)
  }
  expect(1).toBe(1)
}, 500_000)
