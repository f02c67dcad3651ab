import { expect, test } from 'vitest'
import { vlanClasses } from '../fabric/vlan/codepoints.ts'
import { dscpTable } from '../../lab/scenario/class-map.ts'
import { fcsOf, readDscp, readVlanTag, writeVlanTag } from './ethernet.ts'
import { writeMacControl } from './mac-control.ts'

const ADDRESSES = [0x02, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 2]
/** EtherType and first bytes of an IPv4 header with this DSCP and ECN bits of ECT(0). */
const ipv4 = (dscp: number): number[] => [0x08, 0x00, 0x45, (dscp << 2) | 2, 0, 40]
const ipv6 = (dscp: number): number[] => [0x86, 0xdd, 0x60 | (dscp >> 2), (dscp & 3) << 6, 0, 0]
const FCOE = [0x89, 0x06, 0, 0, 0, 0]
const frame = (...parts: readonly (readonly number[] | Uint8Array)[]): Uint8Array =>
  Uint8Array.from([...ADDRESSES, ...parts.flatMap((part) => [...part])])

test('a VLAN tag is TPID 0x8100, then three bits of priority, the DEI bit and twelve bits of VID', () => {
  expect([...writeVlanTag({ pcp: 3, dei: false, vid: 2 })]).toEqual([0x81, 0x00, 0x60, 0x02])
  expect([...writeVlanTag({ pcp: 7, dei: true, vid: 4095 })]).toEqual([0x81, 0x00, 0xff, 0xff])
  for (let pcp = 0; pcp < 8; pcp++) {
    for (const vid of [0, 1, 0x0fff, 0x0800]) {
      const tag = { pcp, dei: vid === 1, vid }
      expect(readVlanTag(frame(writeVlanTag(tag), ipv4(3)))).toEqual(tag)
    }
  }
  expect(readVlanTag(frame(ipv4(3)))).toBeNull()
})

test('the FCS of 60 zeros', () => {
  expect(fcsOf(new Uint8Array(60))).toEqual(Uint8Array.of(0x08, 0x89, 0x12, 0x04))
})

test('the DSCP is read behind the tag or without one, and ECN bits are no part of it', () => {
  const tag = writeVlanTag({ pcp: 5, dei: false, vid: 10 })
  for (const dscp of [0, 3, 26, 48, 63]) {
    for (const header of [ipv4(dscp), ipv6(dscp)]) {
      expect(readDscp(frame(header))).toBe(dscp)
      expect(readDscp(frame(tag, header))).toBe(dscp)
    }
  }
})

test('a frame without an IP header, as in FCoE, has no DSCP: a switch that reads it has the default class for all of them', () => {
  const tag = writeVlanTag({ pcp: 3, dei: false, vid: 10 })
  expect(readDscp(frame(FCOE))).toBeNull()
  expect(readDscp(frame(tag, FCOE))).toBeNull()
  expect(readVlanTag(frame(tag, FCOE))!.pcp).toBe(3)
  // DSCP 0 stands for none: class 0 by DSCP, while by PCP the tag says class 3.
  const codepoint = (readDscp(frame(tag, FCOE)) ?? 0) | (3 << 6) | (1 << 9)
  const table = dscpTable({ dscpMap: [] })
  expect(vlanClasses(table, true, 0)[codepoint]).toBe(0)
  expect(vlanClasses(table, false, 0)[codepoint]).toBe(3)
})

test('a PFC frame is an untagged MAC control frame of 64 bytes with its FCS, the same in both designs', () => {
  const pause = writeMacControl({ kind: 'pfc', source: 1, vector: 1 << 3, quanta: [0, 0, 0, 65_535, 0, 0, 0, 0] })
  expect(pause).toHaveLength(60)
  expect(readVlanTag(pause)).toBeNull()
  expect(readDscp(pause)).toBeNull()
  expect(Array.from(pause.slice(0, 6))).toEqual([0x01, 0x80, 0xc2, 0x00, 0x00, 0x01])
  expect(Array.from(pause.slice(12, 18))).toEqual([0x88, 0x08, 0x01, 0x01, 0x00, 0x08])
  expect(Array.from(pause.slice(18, 34))).toEqual([0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0])
  expect(pause.slice(34).every((byte) => byte === 0)).toBe(true)
  const resume = writeMacControl({ kind: 'pfc', source: 1, vector: 0b1001, quanta: [0, 0, 0, 0, 0, 0, 0, 0] })
  expect(Array.from(resume.slice(16, 18))).toEqual([0x00, 0x09])
})
