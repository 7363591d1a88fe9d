[(class_name) (id_name) (property_name) (keyframes_name) (plain_value) (tag_name)] @local.reference

[(stylesheet) (rule_set)] @local.scope
