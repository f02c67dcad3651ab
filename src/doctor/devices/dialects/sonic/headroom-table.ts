/**
 * pg_profile_lookup.ini: speeds and lengths of cable for which a platform has a lossless profile. A port with another pair
 * gets none.
 * Source: sonic-buildimage, device/VENDOR/PLATFORM/HWSKU/pg_profile_lookup.ini; sonic-swss, cfgmgr/buffermgr.
 */
import type { Dialect } from '../dialect.ts'
import type { HeadroomRow } from '../../../../core/device-model/index.ts'
import type { Line } from '../text.ts'

/** Speed in Mb/s, cable, size, xon, xoff, threshold; some platforms add an offset. Numbers of bytes. */
const ROW = /^[ \t]*(\d+)[ \t]+(\d+)m(?:[ \t]+-?\d+){4,6}[ \t]*$/
const COMMENT = /^[ \t]*(?:#|$)/

export const sonicHeadroomTable: Dialect = {
  name: 'sonic-pg-profile-lookup',
  language: 'sonic',
  title: 'SONiC pg_profile_lookup.ini',
  command: 'cat /usr/share/sonic/hwsku/pg_profile_lookup.ini',
  leavesOut: ['sizes, thresholds and offsets of the profiles'],
  recognises: ({ text }) => /^[ \t]*\d{4,7}[ \t]+\d+m[ \t]+\d+[ \t]+\d+[ \t]+\d+[ \t]+-?\d+(?:[ \t]|$)/m.test(text),
  read({ lines }, facts) {
    facts.kind = 'switch'
    const rows = new Map<string, HeadroomRow>()
    let first: Line | undefined
    let last: Line | undefined
    for (const line of lines) {
      if (COMMENT.test(line.text)) continue
      const [, speed, metres] = ROW.exec(line.text) ?? []
      last = line
      if (speed === undefined) facts.remainder.push(line)
      else {
        first ??= line
        const row = { rateBps: Number(speed) * 1e6, cableM: Number(metres) }
        rows.set(JSON.stringify(row), row)
      }
    }
    if (first !== undefined) facts.switch.put('headroomTable', [...rows.values()], first)
    if (last !== undefined && facts.remainder.at(-1) === last) facts.cut(last, 'a row of six numbers or more')
  },
}
