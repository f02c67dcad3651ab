import { expect, test } from 'vitest'
import { InputError } from '../../core/base/issue.ts'
import { classTable, cnpCodepointFor, codepointFor, dataClasses } from './class-map.ts'
import { parseScenario } from './index.ts'

const dscp = (...dscpMap: string[]): Uint8Array => classTable({ classify: 'dscp', dscpMap })

/** The classes of a scenario with these overrides. */
const classesWith = (...sets: string[]) =>
  parseScenario('{topology: star, workload: [permutation]}', { sets: sets.map((set) => `classes.${set}`) }).classes

test('switches map DSCP i to class i, the DSCP of CNPs to class 6 and any other to class 0', () => {
  const table = dscp()
  expect(table).toHaveLength(64)
  expect(Array.from(table.slice(0, 8))).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  expect(table[48]).toBe(6)
  expect([...table.slice(8, 48), ...table.slice(49)].every((c) => c === 0)).toBe(true)
})

test('a map assigns classes to DSCPs and ranges of them, and the last line that names a DSCP counts', () => {
  const table = dscp('10: 5', ' 60 - 63 : 2 ', '62:7', '0-3:4')
  expect([9, 10, 11, 59, 60, 61, 62, 63].map((at) => table[at])).toEqual([0, 5, 0, 0, 2, 2, 7, 2])
  expect(Array.from(table.slice(0, 5))).toEqual([4, 4, 4, 4, 4])
  expect(dscp('48: 3')[48]).toBe(3)
})

test('a PCP is the class itself, whatever the map of DSCPs contains', () => {
  expect([...classTable({ classify: 'pcp', dscpMap: ['0-63: 0'] })]).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
})

test('every malformed line of a map is reported, with its location', () => {
  const lines = ['64: 1', '1: 8', '3-1: 2', '1-64: 2', '5', '-1: 2', '1: 2x', 'x1: 2', '100: 1', '1: -1', '7: 7']
  const expected = '"DSCP: CLASS" or "FROM-TO: CLASS" with DSCP 0..63 and class 0..7'
  const issues = lines.slice(0, -1).map((line, i) => {
    return { path: `classes.dscpMap.${i}`, expected, received: JSON.stringify(line), hint: '' }
  })
  expect(() => dscp(...lines)).toThrow(new InputError(issues))
})

test('hosts write the number of the class if switches map it to that class, and otherwise the lowest DSCP that does', () => {
  expect(codepointFor(dscp(), 3, 'classes.data')).toBe(3)
  expect(codepointFor(dscp('3: 0', '20: 3', '19: 3'), 3, 'classes.data')).toBe(19)
  expect(codepointFor(dscp('0: 3', '9: 0'), 0, 'classes.data')).toBe(8)
  expect(codepointFor(dscp('1-63: 1', '0: 5'), 5, 'classes.data')).toBe(0)
  expect(() => codepointFor(dscp('0-63: 0'), 3, 'workload.0.trafficClass')).toThrow(
    'workload.0.trafficClass: expected a class that some DSCP maps to, received class 3 (map one to it in classes.dscpMap, such as "24: 3")',
  )
})

test('CNPs have their own DSCP if switches map it to their class', () => {
  const of = (...sets: string[]): number => {
    const classes = classesWith(...sets)
    return cnpCodepointFor(classTable(classes), classes)
  }
  expect(of()).toBe(48)
  expect(of('cnpAtSwitch=2')).toBe(2)
  expect(of('dscpMap=["48: 3"]')).toBe(6)
  expect(of('dscpMap=["48: 3"]', 'cnpAtSwitch=3')).toBe(48)
  expect(of('classify=pcp')).toBe(6)
  const classes = classesWith()
  expect(() => cnpCodepointFor(new Uint8Array(64), classes)).toThrow('classes.cnpAtSwitch: expected a class that some')
})

test('the classes of data are those of workloads and of lines of traces, each once', () => {
  const flows = ['0 1 1KB 0us', '0 1 1KB 0us class=5', '0 1 1KB 0us class=5 tag=class=2', '1 0 1KB 0us dport=1 class=0']
  const text = `
topology: star
classes: {data: 4}
workload:
  - {kind: permutation, trafficClass: 1}
  - permutation
  - {kind: trace, flows: ${JSON.stringify(flows)}}
`
  expect(dataClasses(parseScenario(text))).toEqual([1, 4, 5, 0])
})
