import { test } from 'vitest'
import { headroomNeed } from '../../advice/doctor/headroom-need.ts'
import { fabricOfConfigs } from '../devices/index.ts'
import { diagnose } from '../doctor.ts'
import { causesOf } from '../rules/nesting.ts'
import { drawDesign } from './design.ts'
import { desiredConfigs } from './desired.ts'
import { FAULTS } from './faults/catalogue.ts'
import { plant } from './plant.ts'
import { Draw } from '../../base/draw.ts'
test('faults of the model', () => {
  for (const fault of FAULTS) {
    if (fault.edit !== undefined) continue
    let planted = 0,
      found = 0
    const odd = new Map<string, number>()
    const langs = new Map<string, number>()
    for (let seed = 0; seed < 30; seed++) {
      const design = drawDesign({
        seed,
        hosts: 2 + (seed % 14),
        languages: ['sonic', 'nvue', 'nx-os', 'eos', 'os10', 'junos'],
        hostLanguages: ['mlnx_qos'],
      })
      const p = plant(
        fault,
        { design, configs: desiredConfigs(design, headroomNeed), edges: design.edges },
        new Draw(seed, 'x'),
        headroomNeed,
      )
      if (p === null) continue
      planted++
      const fabric = fabricOfConfigs(p.configs, p.edges)
      const { findings } = diagnose({ fabric, headroomNeed })
      const causes = causesOf(findings, fabric)
      const isIn = (f: any) =>
        [f, ...f.also].some(({ subject }: any) =>
          p.expected.spots.some((s) => s.device === subject.device && s.port === (subject.interface ?? '')),
        )
      const mine = findings.filter((f) => f.id === fault.rule && isIn(f))
      if (mine.length > 0) found++
      const lang = p.configs.find((c) => c.device === p.device)!.language
      if (mine.length === 0) langs.set(lang, (langs.get(lang) ?? 0) + 1)
      for (const f of findings)
        if (f.severity !== 'note' && !causes.has(f) && f.id !== fault.rule && !p.expected.also.includes(f.id))
          odd.set(f.id, (odd.get(f.id) ?? 0) + 1)
    }
    if (found !== planted || odd.size > 0 || planted === 0)
      console.log(fault.rule, fault.title, `${found}/${planted}`, [...odd], [...langs])
  }
})
