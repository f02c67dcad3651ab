/** Readers of hosts take any text: cut, doubled, shuffled, or random, and long lines of what they look for. */
import { describe, expect, test } from 'vitest'
import { fc } from '../../../../../tests/support/properties.ts'
import { readFile } from '../index.ts'
import { HOST_DIALECTS } from './host-dialects.ts'

/** A little of each form. */
const TEXTS: readonly string[] = [
  'DCBX mode: OS controlled\nPriority trust state: dscp\ndscp2prio mapping:\n\tprio:0 dscp:07,06,\nCable len: 7\nPFC configuration:\n\tpriority    0   1   2   3   4   5   6   7\n\tenabled     0   0   0   1   0   0   0   0   \ntc: 0 ratelimit: unlimited, tsa: ets, bw: 50%\n\t priority:  0\n',
  '{"pfc":{"prio_pfc":[false,false,false,true,false,false,false,false]},"app":{"dscp_prio":[[24,3," "]]},"ets":{"prio_tc":[0,0,0,3,0,0,6,0],"tc_tsa":["ets"]}}',
  'NIC  : 1 (0000:09:00.0)\nPort : 2\n  Classification type : DSCP\n  DSCP-to-priority :\n    DSCP bitmap : 0x4 ==> priority : 3\n    DSCP : 0-1, 3-63 ==> priority : 0\n  PFC :\n    PFC priority bitmap : 0x8\n    PFC no-drop priorities : 3\n    0  DWRR  1  N/A\n',
  'NIC : 1\nROCE device : ionic_0\n  DCQCN profile id : 1\n  Status : Enabled\n',
  'NIC : 1\nPort : 2\n  Spec:\n    speed : 400G\n    Pause type : PFC\n    RX pause : enabled\n  Status:\n    Operational status : UP\n--------------------\n',
  'IEEE 8021QAZ ETS Configuration TLV:\n PRIO_MAP: 0:0 1:0\n TSA_MAP: 0:ets\nIEEE 8021QAZ PFC TLV:\n PFC enabled: 3\nIEEE 8021QAZ APP TLV:\n APP#0:\n  Priority: 7\n  Sel: 5\n  DSCP: 48\nTC Rate Limit: 100%\n',
  'IEEE 8021QAZ PFC TLV\n\t Willing: yes\n\t PFC enabled: 4 \n',
  'Pause parameters for eth1:\nAutonegotiate:\toff\nRX:\t\toff\nTX:\t\toff\n',
  'Settings for eth1:\n\tSpeed: 400000Mb/s\n\tLink detected: yes\nFEC parameters for eth1:\nActive FEC encoding: RS\n',
  'pfc-prevention-tout: 100\n',
  '2: eth1: <BROADCAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP mode DEFAULT\n    link/ether parentbus pci parentdev 0000:09:00.0\n',
  '--------------\nLLDP neighbors:\n--------------\nInterface:    eth1, via: LLDP\n    SysName:      leaf\n    PortID:       local Ethernet0\n--------------\n',
  'link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth0\n',
  'mlx5_0 port 1 ==> eth0 (Up)\nmlx5_1 port 1 ==> eth1 (Down)\n',
  'prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off\ndscp-prio CS3:3 26:3\n',
  '[{"ifname":"mlx5_0","port":1,"state":"ACTIVE","physical_state":"LINK_UP","netdev":"eth0"}]',
  'DEV\tPORT\tINDEX\tGID\t\nmlx5_1\t1\t3\t0000:0000:0000:0000:0000:ffff:0a00:0101\t10.0.1.1\tv2\teth1\nn_gids_found=1\n',
  'hca_id:\tmlx5_1\n\t\tport:\t1\n\t\t\tstate:\t\t\tPORT_ACTIVE (4)\n\t\t\tactive_mtu:\t\t4096 (5)\n\t\t\tlink_layer:\t\tEthernet\n\n',
  'Field Name | Data\n==========\nroce_adp_retrans_en | 0x00000001\nadaptive_routing_forced_en | 0x00000000\n==========\n',
  'Device #1:\nDevice type: ConnectX7\nDevice: 3d:00.1\nConfigurations:   Default   Current\n   USER_PROGRAMMABLE_CC   False(0)  True(1)\n',
  'for i in {0..7}; do\n  echo 1 > /sys/class/net/eth$i/ecn/roce_np/enable/3 # x\ndone\nif [ -n "$1" ]; then mlnx_qos -i $1 --pfc 0,0,0,1,0,0,0,0 -s ets --dscp2prio set,26,3; fi\ndcb app add dev eth1 dscp-prio CS3:3\nA=(a "b") ; ip link set ${A[@]} mtu 9000 2>&1 | tee /dev/null\n',
  'NCCL_IB_HCA==mlx5_1:1\nexport NCCL_IB_TC="106"\n- name: NCCL_IB_TIMEOUT\n  value: 20\nunset NCCL_IB_TC\n',
]
const COMMANDS = ['', 'lldptool -tni eth1', 'dcb -j app show dev eth1', 'cma_roce_tos -d mlx5_0']

/** A text of lines that are cut, doubled, in another order, or spoilt. */
const mutated = fc
  .tuple(
    fc.constantFrom(...TEXTS),
    fc.array(fc.record({ at: fc.nat(40), what: fc.nat(4), noise: fc.string({ unit: 'binary', maxLength: 8 }) }), {
      maxLength: 6,
    }),
  )
  .map(([text, changes]) => {
    const lines = text.split('\n')
    for (const { at, what, noise } of changes) {
      const i = at % lines.length
      const line = lines[i] ?? ''
      if (what === 0) lines.splice(i, 1)
      else if (what === 1) lines.push(line)
      else if (what === 2) lines.reverse()
      else lines[i] = line.slice(0, at % (line.length + 1)) + noise + (what === 3 ? line.slice(at) : '')
    }
    return lines.join('\n')
  })

test('every form has a text of its own here', () => {
  const names = TEXTS.flatMap((text) => readFile('f', text).parts.map(({ dialect }) => dialect.name))
  const missing = HOST_DIALECTS.map(({ name }) => name).filter((name) => !names.includes(name))
  expect(missing).toEqual(['cma_roce_tos'])
})

describe('any text', () => {
  test('is read without an error, into classes and DSCPs that there are', () => {
    const isPossible = (field: string): boolean => {
      const [, kind, slot] = /^(dscpToClass|classes)\.(\d+)/.exec(field) ?? []
      return kind === undefined || Number(slot) < (kind === 'classes' ? 8 : 64)
    }
    const property = fc.property(mutated, fc.constantFrom(...COMMANDS), (text, command) =>
      readFile('f', text, command).parts.every(({ facts }) =>
        [...facts.ports.values()].every(({ values }) => [...values.keys()].every(isPossible)),
      ),
    )
    expect(() => fc.assert(property, { numRuns: 2000 })).not.toThrow()
  })

  test('reads the same with CRLF', () => {
    for (const text of TEXTS) {
      const [lf] = readFile('f', text).parts
      const [crlf] = readFile('f', text.replaceAll('\n', '\r\n')).parts
      expect([...crlf!.facts.ports].map(([name, { values }]) => [name, values])).toEqual(
        [...lf!.facts.ports].map(([name, { values }]) => [name, values]),
      )
    }
  })
})

test.each([
  ...TEXTS.map((text) => text.repeat(Math.ceil(300_000 / text.length))),
  ...TEXTS.map((text) => text.replaceAll('\n', ' ').repeat(Math.ceil(300_000 / text.length))),
  'mlnx_qos '.repeat(40_000),
  'echo '.repeat(60_000),
  `ip link set x\n${`${'$a$b$c{0..63}'.repeat(250)};\n`.repeat(80)}`,
  `ip link set x\nfor a in {0..63}; do for b in {0..63}; do\n${'echo $a $b;'.repeat(300)}\n`.repeat(80),
  `ip link set x\n${'('.repeat(4000)}\n`.repeat(80),
  `ip link set x\n${'a=$('.repeat(1000)}\n`.repeat(80),
  `NCCL_A="${'NCCL_A="x '.repeat(30_000)}`,
  `A: ${' '.repeat(300_000)}x`,
  `pfc-prevention-tout ${' '.repeat(300_000)}|`,
  `DCBX mode: ${' '.repeat(300_000)}x\nPriority trust state: a`,
])('a long text takes no long time (%#)', (text) => {
  const start = performance.now()
  readFile('f', text)
  expect(performance.now() - start).toBeLessThan(20_000)
})
