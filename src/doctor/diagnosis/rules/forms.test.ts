/**
 * Forms: the file that would decide a rule is one that is read, and none is made up.
 */
import { expect, test } from 'vitest'
import { DIALECTS } from '../../devices/dialects/index.ts'
import { formFor } from './forms.ts'
import { SONIC } from './planted/clean.test-data.ts'
import { MIXED } from './planted/mixed.test-data.ts'
import { diagnosisOf, edited, fabricFrom } from './planted/planted.test-data.ts'

const SWITCHES = ['leaf-n', 'leaf-e', 'leaf-o', 'leaf-j', 'leaf-c']
const FIELDS = [
  'rateBps',
  'mtuBytes',
  'trust',
  'vlanMode',
  'dscpToClass',
  'pfcClasses',
  'takesGlobalPause',
  'sendsGlobalPause',
  'classes.marks',
  'classes.hasHeadroom',
  'classes.isWatched',
]

test('a switch whose configuration is whole may lack only what a command shows that is read', () => {
  const { devices } = fabricFrom(MIXED)
  const commands = new Set(DIALECTS.map(({ command }) => command))
  for (const name of SWITCHES) {
    const forms = FIELDS.map((field) => formFor(devices.get(name), field))
    expect(forms.filter((form) => form !== '' && !commands.has(form))).toEqual([])
  }
  expect(formFor(devices.get('leaf-n'), 'pfcClasses')).toBe('show interface priority-flow-control')
  expect(formFor(devices.get('leaf-j'), 'pfcClasses')).toBe('')
})

test('headroom of NX-OS, EOS and OS10 is in no file, whether the configuration is whole or not', () => {
  const { missing } = diagnosisOf(MIXED)
  const none = missing.filter(({ form, rules }) => form === '' && rules.includes('BUF11'))
  expect(none.map(({ device }) => device)).toEqual(expect.arrayContaining(['leaf-n', 'leaf-e', 'leaf-o']))
  const fragment = edited(MIXED, [['leaf-e/running-config.cfg', '\nend\n', '\n']])
  const { devices } = fabricFrom(fragment)
  expect(devices.get('leaf-e')?.isComplete).toBe(false)
  expect(formFor(devices.get('leaf-e'), 'classes.hasHeadroom')).toBe('')
  expect(formFor(devices.get('leaf-e'), 'pfcClasses')).toBe('the running configuration')
})

test('no file tells whether a host tags its frames', () => {
  expect(formFor(fabricFrom(SONIC).devices.get('h1'), 'vlanMode')).toBe('')
})

test('of a switch whose configuration is there in a language that is not read, that is named', () => {
  const { 'leaf1/config_db.json': _config, ...half } = SONIC
  const { 'leaf1/pg_profile_lookup.ini': _table, ...none } = half
  const vrp = '!Software Version V200R005\ndcb pfc\ninterface 100GE1/0/1\n undo portswitch\n#\nreturn\n'
  for (const others of [half, none]) {
    const { missing } = diagnosisOf({ ...others, 'leaf1/cfg.txt': vrp })
    const own = missing.filter(({ device, rules }) => device === 'leaf1' && rules.includes('WD01'))
    expect(own.map(({ form }) => form.includes('Huawei VRP'))).toEqual([true])
  }
})
