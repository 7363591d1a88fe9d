[(identifier) (template_literal)] @local.reference

[(config_file) (block)] @local.scope
