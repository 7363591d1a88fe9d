; Keys of the first two levels, and of the third where they have keys of their own; anchors anywhere. What
; stands in lists is data.

(document (block_node (block_mapping
  (block_mapping_pair key: (_) @name) @definition.property @scope)))

(document (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping
  (block_mapping_pair key: (_) @name) @definition.property @scope))))))

(document (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping
  (block_mapping_pair value: (block_node (block_mapping
    (block_mapping_pair key: (_) @name value: (block_node (block_mapping))) @definition.property @scope)))))))))

(document (block_node (block_mapping (block_mapping_pair value: (flow_node (flow_mapping
  (flow_pair key: (_) @name) @definition.property))))))

(block_node (anchor (anchor_name) @name)) @definition.constant
(flow_node (anchor (anchor_name) @name)) @definition.constant

(comment) @comment
