export { Clock } from './clock.js';
export { ConfigModule } from './config.module.js';
export { Env } from './env.js';
export { ConfigError, type Configurable, loadEnv } from './load-env.js';
export { type Override, replaceable } from './overrides.js';
export { FlagSetting, IntegerSetting, ListSetting, Setting } from './setting.decorators.js';
