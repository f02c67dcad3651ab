/** Scripts that set things: order, parts of eight, variables, loops, conditions, and the trap of the cable. */
import { describe, expect, test } from 'vitest'
import { readFile } from '../../index.ts'
import { leftOver, port, said } from '../read.test-data.ts'

describe('mlnx_qos', () => {
  test('the last line holds', () => {
    const text =
      'mlnx_qos -i eth1 --pfc 0,0,0,1,0,0,0,0 --trust=pcp\nmlnx_qos -i eth1 -f 0,0,0,0,1,0,0,0 --trust dscp\n'
    expect(port(text, 'eth1')).toEqual({ pfcClasses: [4], pfcWritten: [4], trust: 'dscp' })
  })

  test('schedules follow from classes, algorithms and bandwidths together', () => {
    const values = port(
      'mlnx_qos -i eth1 -p 0,0,0,3,0,0,6,0 -s ets,ets,ets,ets,ets,ets,strict,ets -t 40,0,0,60,0,0,0,0',
      'eth1',
    )
    expect(values).toMatchObject({ 'classes.0.schedule': 40, 'classes.3.schedule': 60, 'classes.6.schedule': 'strict' })
    expect(port('mlnx_qos -i eth1 -s ets,ets,ets,ets,ets,ets,strict,ets -t 40,0,0,60,0,0,0,0', 'eth1')).toEqual({})
  })

  test('DSCPs, buffers and DCBX', () => {
    const text =
      'mlnx_qos -i eth1 --dscp2prio set,26,3 --dscp2prio set,48,6 -d os\nmlnx_qos -i eth1 --dscp2prio del,48,6\nmlnx_qos -i eth1 --prio2buffer 0,0,0,1,0,0,0,0 --buffer_size 1000,2000,0,0,0,0,0,0'
    expect(port(text, 'eth1')).toEqual({
      'dscpToClass.26': 3,
      'dscpToClass.48': 'unknown',
      'nic.dcbx': 'os',
      'nic.bufferOfClass': [0, 0, 0, 1, 0, 0, 0, 0],
      'nic.bufferBytes': [1000, 2000, 0, 0, 0, 0, 0, 0],
    })
  })

  test('a list that is not of eight is unknown', () => {
    const odd = said('mlnx_qos -i eth1 --pfc 0,0,0,1\n')
    expect(odd.ports['eth1']).toEqual({ pfcClasses: 'unknown', pfcWritten: 'unknown' })
    expect(leftOver(odd)).toEqual([1])
  })

  test.each([
    ['--pfc 0,0,0,1,0,0,0,0\nmlnx_qos -i eth1 --cable_len 7', true],
    ['--cable_len 7\nmlnx_qos -i eth1 --pfc 0,0,0,1,0,0,0,0', undefined],
    ['--cable_len 7 --pfc 0,0,0,1,0,0,0,0', undefined],
    ['--cable_len 7', undefined],
    ['--pfc 0,0,0,1,0,0,0,0\nmlnx_qos -i eth2 --cable_len 7', undefined],
  ])('a cable set after PFC is noted: %j', (options, isSet) => {
    expect(port(`mlnx_qos -i eth1 ${options}\n`, 'eth1')['other.cableSetAfterPfc']).toBe(isSet)
  })
})

describe('dcb', () => {
  test('one priority alone does not tell the others', () => {
    expect(port('dcb pfc set dev eth1 prio-pfc 3:on', 'eth1')['pfcClasses']).toBe('unknown')
    expect(port('dcb pfc set dev eth1 prio-pfc all:off 3:on', 'eth1')['pfcClasses']).toEqual([3])
    const later = 'mlnx_qos -i eth1 --pfc 0,0,0,1,0,0,0,0\ndcb pfc set dev eth1 prio-pfc 4:on'
    expect(port(later, 'eth1')['pfcClasses']).toEqual([3, 4])
  })

  test('an entry for a DSCP means trust in DSCPs', () => {
    const text = 'dcb app add dev eth1 dscp-prio CS3:3 AF31:3 26:4 0x30:6\n'
    expect(port(text, 'eth1')).toEqual({
      trust: 'dscp',
      'dscpToClass.24': 3,
      'dscpToClass.26': 4,
      'dscpToClass.48': 6,
    })
  })

  test('buffers and traffic classes', () => {
    const text =
      'dcb buffer set dev eth1 prio-buffer all:0 3:1\ndcb ets set dev eth1 prio-tc all:0 3:3 tc-tsa all:ets 3:strict tc-bw all:0 0:100\n'
    expect(port(text, 'eth1')).toMatchObject({
      'nic.bufferOfClass': [0, 0, 0, 1, 0, 0, 0, 0],
      'classes.3.schedule': 'strict',
      'classes.7.schedule': 100,
    })
  })
})

test('ethtool, ip and cma_roce_tos', () => {
  const { ports } = said(`#!/bin/bash
sudo /usr/sbin/ethtool -A eth1 autoneg off rx off tx on
ethtool -s eth1 speed 100000 autoneg off
ethtool --set-fec eth1 encoding rs
ethtool --set-tunable eth1 pfc-prevention-tout 100
ip link set dev eth1 mtu 9000 up
ExecStart=/usr/bin/cma_roce_tos -d mlx5_1 -t 106
`)
  expect(ports).toEqual({
    eth1: {
      takesGlobalPause: false,
      sendsGlobalPause: true,
      rateBps: 100e9,
      autoNegotiates: false,
      fec: 'rs',
      'nic.pauseWatchdogPs': 100e9,
      mtuBytes: 9000,
    },
    'rdma:mlx5_1': { 'nic.cmaTclass': 106 },
  })
})

describe('sysfs', () => {
  test('values go to the files that they are written to', () => {
    const { ports, facts } = said(`root@gpu1:~# echo 104 > /sys/class/infiniband/mlx5_1/tc/1/traffic_class
echo "dscp" | sudo tee /sys/class/net/eth1/qos/trust > /dev/null
echo 48 >/sys/class/net/eth1/ecn/roce_np/cnp_dscp 2>/dev/null
echo 1 > /sys/class/net/eth1/ecn/roce_np/enable/3
echo 5 > /sys/class/net/eth1/ecn/roce_rp/rpg_threshold
`)
    expect(ports['rdma:mlx5_1']).toEqual({ 'nic.sysfsTclass': 104 })
    expect(ports['eth1']).toEqual({ trust: 'dscp', 'nic.cnpDscp': 48, 'nic.npClasses': 'unknown' })
    expect(facts.remainder.map((line) => line.number)).toEqual([5])
  })

  test('eight of eight priorities are all', () => {
    const text =
      'for p in {0..7}; do echo 0 > /sys/class/net/eth1/ecn/roce_rp/enable/$p; done\necho 1 > /sys/class/net/eth1/ecn/roce_rp/enable/3\n'
    expect(port(text, 'eth1')).toEqual({ 'nic.rpClasses': [3] })
  })
})

describe('what only a run knows', () => {
  test.each([
    ['NICS="eth1 eth2"\nfor nic in $NICS\ndo\n  mlnx_qos -i ${nic} --trust dscp\ndone\n'],
    ['NICS=("eth1" "eth2")\nfor nic in "${NICS[@]}"; do mlnx_qos -i "$nic" --trust dscp; done\n'],
    ['for i in $(seq 1 2); do mlnx_qos \\\n  -i eth$i --trust dscp; done\n'],
  ])('loops over known names are run: %j', (text) => {
    expect(said(text).ports).toEqual({ eth1: { trust: 'dscp' }, eth2: { trust: 'dscp' } })
  })

  test.each(['mlnx_qos -i $1 --trust dscp', 'mlnx_qos -i $(first_nic) --trust dscp', 'mlnx_qos -i `x` --trust dscp'])(
    'other names are left over: %s',
    (text) => {
      expect(said(text).ports).toEqual({})
      expect(leftOver(said(text))).toEqual([1])
    },
  )

  test('what a condition decides about is unknown', () => {
    const text = `mlnx_qos -i eth1 --trust dscp --pfc 0,0,0,1,0,0,0,0
if [ "$MODE" = lossy ]; then
  mlnx_qos -i eth1 --pfc 0,0,0,0,0,0,0,0
fi
[ -d /sys/class/net/eth2 ] && ip link set eth2 mtu 9000
ip link set eth1 mtu 9000 || ip link set eth1 mtu 1500
ip link set eth3 mtu 9000
`
    const { ports } = said(text)
    expect(ports['eth1']).toEqual({
      trust: 'dscp',
      pfcClasses: 'unknown',
      pfcWritten: 'unknown',
      mtuBytes: 'unknown',
    })
    expect(ports['eth2']).toEqual({ mtuBytes: 'unknown' })
    expect(ports['eth3']).toEqual({ mtuBytes: 9000 })
  })
})

test('comments and texts set nothing', () => {
  const text = `ip link set eth1 mtu 9000
  # mlnx_qos -i eth1 --trust pcp
echo "mlnx_qos -i eth1 --trust pcp"
true # ip link set eth1 mtu 1500
`
  expect(said(text).ports).toEqual({ eth1: { mtuBytes: 9000 } })
  expect(
    readFile('notes.txt', '# echo 104 > /sys/class/net/eth1/x\nnothing here\n').parts.map((one) => [
      ...one.facts.ports,
    ]),
  ).not.toContainEqual(expect.arrayContaining(['eth1']))
})

test('commands that are not known are left over', () => {
  const text =
    'ip link set eth1 mtu 9000\nlldptool -T -i eth1 -V PFC enabled=3\nnicctl show qos\nmlnx_qos -i eth1 --frob 3\n'
  expect(leftOver(said(text))).toEqual([2, 4])
})

test('a job script sets variables of NCCL, too', () => {
  const { device, ports } = said('cma_roce_tos -d mlx5_1 -t 106\nexport NCCL_IB_TC=106\n')
  expect(device['job.ncclIbTc']).toBe(106)
  expect(ports['rdma:mlx5_1']).toEqual({ 'nic.cmaTclass': 106 })
})
