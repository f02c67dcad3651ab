import { test } from 'vitest'
import { SONIC } from './clean.test-data.ts'
import { MIXED } from './clean-mixed.test-data.ts'
import { diagnosisOf, placesOf } from './planted.test-data.ts'
import { RULES } from './index.ts'
test('x', () => {
  const held: Record<string, number> = {}
  for (const f of [SONIC, MIXED]) {
    const d = diagnosisOf(f)
    console.log(d.findings.map((x) => `${x.severity} ${placesOf([x]).join('|')} ${JSON.stringify(x.values).slice(0, 150)}`).join('\n'))
    console.log(d.missing.map((m) => `${m.form}: ${m.devices} ${m.rules}`).join('\n'))
    for (const each of d.fabric.devices.values()) console.log(each.config.device, each.isComplete, each.unread, each.forms.flatMap((x) => x.remainder.map((l) => l.text)))
    for (const [k, v] of Object.entries(d.held)) held[k] = (held[k] ?? 0) + v
  }
  console.log(Object.entries(held).filter(([, v]) => v === 0).map(([k]) => k).join(), RULES.length)
})
