/**
 * Forms of hosts, in the order in which they are tried: outputs first, then what people write themselves.
 */
import type { Dialect } from '../dialect.ts'
import { mlxconfig, mlxreg } from './firmware/firmware.ts'
import { ethtoolLink, ethtoolPause, ethtoolTunable } from './link/ethtool.ts'
import { ipLink } from './link/ip-link.ts'
import { lldpNeighbors } from './link/lldp-neighbors.ts'
import { dcb } from './qos/dcb.ts'
import { lldptool, niccli } from './qos/dcbx-tlvs.ts'
import { mlnxQos } from './qos/mlnx-qos.ts'
import { nicctlDcqcn, nicctlPort, nicctlQos } from './qos/nicctl.ts'
import { cmaRoceTos } from './rdma/cma-roce-tos.ts'
import { ibdev2netdev, ibvDevinfo, rdmaLink } from './rdma/devices.ts'
import { showGids } from './rdma/show-gids.ts'
import { jobEnvironment } from './shell/job-environment.ts'
import { shellSettings } from './shell/shell-settings.ts'

export const HOST_DIALECTS: readonly Dialect[] = [
  mlnxQos,
  dcb,
  nicctlQos,
  nicctlDcqcn,
  nicctlPort,
  niccli,
  lldptool,
  ethtoolPause,
  ethtoolLink,
  ethtoolTunable,
  ipLink,
  lldpNeighbors,
  rdmaLink,
  ibdev2netdev,
  showGids,
  ibvDevinfo,
  mlxreg,
  mlxconfig,
  cmaRoceTos,
  shellSettings,
  jobEnvironment,
]
